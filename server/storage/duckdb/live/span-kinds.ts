const [SERVER, CLIENT, PRODUCER] = [2, 3, 4]
export const CONSUMER = 5

/** Whether a span is a service's answer to somebody outside it. */
export function isEntry(kind: number): boolean {
  return kind === SERVER || kind === CONSUMER
}

export const CALL_KINDS = [CLIENT, PRODUCER]

/** Whether a span asks another service for something. */
export function isCall(kind: number): boolean {
  return kind === CLIENT || kind === PRODUCER
}
