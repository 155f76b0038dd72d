import { LARGEST, type PageShape, Pages, type Span } from "./pages.js";

/** How many lists are asked for their first page at a time. */
const AT_ONCE = 4;

interface Dated {
  published_at: string;
}

/** A list that is being read: what comes next, and the list behind it. */
interface Head<Item> {
  item: Item;
  rest: AsyncGenerator<Item, void, undefined>;
}

/**
 * Return one list out of several of entries, the newest first in each and in all of them. The first
 * page asks for the first page of every list; the others are asked for as needed.
 */
export function merged<Page extends PageShape<Item>, Item extends Dated>(
  parts: ReadonlyArray<Pages<Page, Item>>,
  span: Span,
): Pages<Page, Item> {
  return new MergedPages(parts, span);
}

class MergedPages<Page extends PageShape<Item>, Item extends Dated> extends Pages<Page, Item> {
  readonly #parts: ReadonlyArray<Pages<Page, Item>>;
  readonly #span: Span;

  constructor(parts: ReadonlyArray<Pages<Page, Item>>, span: Span) {
    super(() => this.first(), span);
    this.#parts = parts;
    this.#span = span;
  }

  override async first(): Promise<Page> {
    for await (const page of this.pages()) return page;
    throw new Error("unreachable: there is one page, if only an empty one");
  }

  override async *pages(): AsyncGenerator<Page, void, undefined> {
    const firsts = new Map<number, Page>();
    let offset = this.#span.offset ?? 0;
    const items = span(newestFirst(this.#parts, firsts), offset, this.#span.limit ?? Infinity);
    const page = (chosen: Item[]): Page => {
      const total = [...firsts.values()].reduce((sum, first) => sum + first.total, 0);
      return { ...firsts.get(0)!, total, limit: LARGEST, offset, items: chosen };
    };
    let chosen: Item[] = [];
    for await (const item of items) {
      if (chosen.length === LARGEST) {
        yield page(chosen);
        offset += LARGEST;
        chosen = [];
      }
      chosen.push(item);
    }
    yield page(chosen);
  }
}

async function* span<Item>(items: AsyncIterable<Item>, from: number, count: number): AsyncGenerator<Item, void, undefined> {
  let place = 0;
  for await (const item of items) {
    if (place++ < from) continue;
    yield item;
    if (place >= from + count) return;
  }
}

async function* newestFirst<Page extends PageShape<Item>, Item extends Dated>(
  parts: ReadonlyArray<Pages<Page, Item>>,
  firsts: Map<number, Page>,
): AsyncGenerator<Item, void, undefined> {
  const lists = parts.map((part, number) => itemsOf(part, number, firsts));
  const heads: Head<Item>[] = [];
  for (let start = 0; start < lists.length; start += AT_ONCE) {
    const some = await Promise.all(lists.slice(start, start + AT_ONCE).map(headOf));
    heads.push(...some.filter((head) => head !== undefined));
  }
  while (heads.length > 0) {
    const place = heads.reduce((best, head, at) => (moment(head) > moment(heads[best]!) ? at : best), 0);
    const { item, rest } = heads[place]!;
    yield item;
    const next = await headOf(rest);
    heads.splice(place, 1, ...(next === undefined ? [] : [next]));
  }
}

async function headOf<Item>(rest: AsyncGenerator<Item, void, undefined>): Promise<Head<Item> | undefined> {
  const { value, done } = await rest.next();
  return done ? undefined : { item: value as Item, rest };
}

function moment({ item }: Head<Dated>): string {
  return item.published_at.slice(0, -1); // without Z, so that a fraction of a second comes later
}

async function* itemsOf<Page extends PageShape<Item>, Item>(
  part: Pages<Page, Item>,
  number: number,
  firsts: Map<number, Page>,
): AsyncGenerator<Item, void, undefined> {
  for await (const page of part.pages()) {
    if (!firsts.has(number)) firsts.set(number, page);
    yield* page.items;
  }
}
