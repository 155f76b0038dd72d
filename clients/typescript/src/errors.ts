/**
 * The errors of the client. Every one that a call throws is a `ChangewireError`; only an abort throws
 * what its signal carries.
 *
 * - `KeyMissing`: the call needs an API key, and the client has none
 * - `InvalidCall`: the call cannot be sent
 * - `UnknownSource`: the catalog has no such source
 * - `Unreachable`: no whole answer came: name, connection, certificate or time-out
 * - `UnexpectedAnswer`: an answer that is not this API's
 * - `ApiError`: the API refused; it has a class for each code (`codes.ts`)
 */

/** The base of all errors of a call. `hint` says what to do, if that is known. */
export class ChangewireError extends Error {
  override readonly name: string = "ChangewireError";
  readonly hint: string | undefined;

  constructor(message: string, { hint, cause }: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint;
  }
}

/** The call needs an API key and the client was made without one. */
export class KeyMissing extends ChangewireError {
  override readonly name = "KeyMissing";
}

/** The call cannot be sent: an address that is none, a limit under one. */
export class InvalidCall extends ChangewireError {
  override readonly name = "InvalidCall";
}

/** The catalog has no source with this slug. */
export class UnknownSource extends ChangewireError {
  override readonly name = "UnknownSource";
}

/** No whole answer: the name, the connection, the certificate or a time-out. `cause` says more. */
export class Unreachable extends ChangewireError {
  override readonly name = "Unreachable";
}

/** The answer is not one of this API, for example a proxy's page. */
export class UnexpectedAnswer extends ChangewireError {
  override readonly name = "UnexpectedAnswer";
}

/** What an error of the API says. */
export interface Refusal {
  /** One of the contract's codes. */
  code: string;
  /** The HTTP status. */
  status: number;
  hint?: string | undefined;
  /** Names the request in the service's log. */
  requestId?: string | undefined;
  /** How many milliseconds the API asked to wait. */
  retryAfter?: number | undefined;
}

/** The API refused. */
export class ApiError extends ChangewireError {
  override readonly name: string = "ApiError";
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, refusal: Refusal) {
    super(message, { hint: refusal.hint });
    this.code = refusal.code;
    this.status = refusal.status;
    this.requestId = refusal.requestId;
    this.retryAfter = refusal.retryAfter;
  }
}
