/** An operation's name taken apart. */
export type Operation =
  | { protocol: 'http'; name: string; method: string; route: string }
  | { protocol: 'grpc'; name: string; method: string }

const known = new Map<string, Operation>()

/** `GET /path` is HTTP; anything else is the full name of a gRPC method. */
export function operationOf(name: string): Operation {
  const seen = known.get(name)
  if (seen !== undefined) return seen
  const space = name.indexOf(' ')
  const operation: Operation =
    space > 0
      ? { protocol: 'http', name, method: name.slice(0, space), route: name.slice(space + 1) }
      : { protocol: 'grpc', name, method: name }
  known.set(name, operation)
  return operation
}
