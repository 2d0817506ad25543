/** Where records come from: a resource and an instrumentation scope. Records point at theirs by its index in the batch. */
export interface Origin {
  serviceName: string
  /** The resource's attributes as JSON text of one object. */
  resourceJson: string
  scopeName: string
  scopeVersion: string
}

/** What a resource without a `service.name` is called, as OpenTelemetry prescribes. */
export const UNKNOWN_SERVICE = 'unknown_service'
