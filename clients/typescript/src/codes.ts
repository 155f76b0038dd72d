// The errors of the contract: a class for each code.
//
// Generated and never edited. Change openapi.yaml, then run `changewire contract update` at the
// top of the checkout.

import { ApiError } from "./errors.js";

/** The API answered `invalid_request`. */
export class InvalidRequest extends ApiError {
  override readonly name = "InvalidRequest";
}

/** The API answered `unauthorized`. */
export class Unauthorized extends ApiError {
  override readonly name = "Unauthorized";
}

/** The API answered `addon_required`. */
export class AddonRequired extends ApiError {
  override readonly name = "AddonRequired";
}

/** The API answered `insufficient_scope`. */
export class InsufficientScope extends ApiError {
  override readonly name = "InsufficientScope";
}

/** The API answered `plan_limit_exceeded`. */
export class PlanLimitExceeded extends ApiError {
  override readonly name = "PlanLimitExceeded";
}

/** The API answered `source_not_selected`. */
export class SourceNotSelected extends ApiError {
  override readonly name = "SourceNotSelected";
}

/** The API answered `address_refused`. */
export class AddressRefused extends ApiError {
  override readonly name = "AddressRefused";
}

/** The API answered `webhook_disabled`. */
export class WebhookDisabled extends ApiError {
  override readonly name = "WebhookDisabled";
}

/** The API answered `not_found`. */
export class NotFound extends ApiError {
  override readonly name = "NotFound";
}

/** The API answered `method_not_allowed`. */
export class MethodNotAllowed extends ApiError {
  override readonly name = "MethodNotAllowed";
}

/** The API answered `payload_too_large`. */
export class PayloadTooLarge extends ApiError {
  override readonly name = "PayloadTooLarge";
}

/** The API answered `unsupported_media_type`. */
export class UnsupportedMediaType extends ApiError {
  override readonly name = "UnsupportedMediaType";
}

/** The API answered `rate_limited`. */
export class RateLimited extends ApiError {
  override readonly name = "RateLimited";
}

/** The API answered `internal_error`. */
export class InternalError extends ApiError {
  override readonly name = "InternalError";
}

/** The API answered `unavailable`. */
export class Unavailable extends ApiError {
  override readonly name = "Unavailable";
}

/** The class of each code. A code of a later contract is an ApiError. */
export const ERRORS: Readonly<Record<string, typeof ApiError>> = {
  invalid_request: InvalidRequest,
  unauthorized: Unauthorized,
  addon_required: AddonRequired,
  insufficient_scope: InsufficientScope,
  plan_limit_exceeded: PlanLimitExceeded,
  source_not_selected: SourceNotSelected,
  address_refused: AddressRefused,
  webhook_disabled: WebhookDisabled,
  not_found: NotFound,
  method_not_allowed: MethodNotAllowed,
  payload_too_large: PayloadTooLarge,
  unsupported_media_type: UnsupportedMediaType,
  rate_limited: RateLimited,
  internal_error: InternalError,
  unavailable: Unavailable,
};
