// Small comforts; every page works without them.

// Copy buttons: shown only where they work.
for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = document.getElementById(button.dataset.copy).textContent;
    await navigator.clipboard.writeText(text);
    const label = button.firstChild;
    const before = label.data;
    label.data = "Copied";
    setTimeout(() => { label.data = before; }, 2000);
  });
}

// Times: the local one on hover.
for (const time of document.querySelectorAll("time[datetime*=T]")) {
  time.title = new Date(time.dateTime).toLocaleString([], { dateStyle: "full", timeStyle: "short" });
}

// Samples: the language chosen in one is chosen in all.
document.addEventListener("change", ({ target: { dataset } }) => {
  if (!dataset.language) return;
  const others = document.querySelectorAll(`input[data-language="${CSS.escape(dataset.language)}"]`);
  for (const other of others) other.checked = true;
});

// What is on its way: look again every two seconds, for half a minute, until nothing waits.
const watch = async (left) => {
  const live = document.querySelector("[data-live]");
  if (!live || !left) return;
  await new Promise((done) => { setTimeout(done, 2000); });
  const answer = await fetch(location.href);
  if (!answer.ok || answer.redirected) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(live.id);
  if (!fresh) return;
  if (!live.contains(document.activeElement)) live.replaceWith(fresh);
  watch(left - 1);
};
watch(15);

// Choosing sources: search while typing, add and remove without leaving the page.
const picker = document.querySelector("[data-picker], [data-search]");
if (picker) {
  let newest = 0;
  const shown = picker.querySelector("form[method=get] > button");
  if (shown) shown.hidden = true;

  const show = (text, parts) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    for (const id of parts) {
      const fresh = page.getElementById(id);
      if (!fresh) { location.reload(); return; }
      document.getElementById(id).replaceWith(fresh);
    }
  };

  const search = async (form) => {
    const mine = ++newest;
    const address = new URL(location.pathname, location.origin);
    for (const [name, value] of new FormData(form)) {
      if (String(value).trim()) address.searchParams.set(name, String(value).trim());
    }
    const answer = await fetch(address);
    const text = await answer.text();
    if (mine !== newest || answer.redirected) return;
    history.replaceState(null, "", address);
    const focused = document.activeElement && document.activeElement.id;
    show(text, ["results", "facets"]);
    if (focused) document.getElementById(focused)?.focus();
  };

  let waiting;
  picker.addEventListener("input", (event) => {
    const form = event.target.form;
    if (!form || form.method !== "get") return;
    clearTimeout(waiting);
    waiting = setTimeout(() => search(form), event.target.type === "search" ? 180 : 0);
  });

  picker.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.method !== "post" || !form.elements.slug || !picker.hasAttribute("data-picker")) return;
    event.preventDefault();
    const slug = form.elements.slug.value;
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    show(await answer.text(), ["notices", "chosen", "results"]);
    const next = picker.querySelector(`button[data-slug="${CSS.escape(slug)}"]`);
    (next || picker.querySelector("input[type=search]")).focus();
  });
}

// The menu closes on Escape and on a click elsewhere.
const menu = document.querySelector("details.menu");
if (menu) {
  document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });
}
