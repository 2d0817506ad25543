/** Something went wrong inside the simulated shop. It travels up like an exception until a request ends with it. */
export class Fault extends Error {
  override readonly name = 'Fault'
  /** What the exception is called in the runtime where it was thrown. */
  readonly type: string
  /** The HTTP status with which a service answers that lets it through. */
  readonly status: number

  constructor(type: string, message: string, status: number) {
    super(message)
    this.type = type
    this.status = status
  }

  /** Callers try again when the other side was busy, unreachable or late, not when it failed. */
  get isPassing(): boolean {
    return this.status === 503 || this.status === 504
  }
}

const GRPC_STATUS: Record<number, string> = {
  200: 'OK',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function grpcStatusOf(status: number): string {
  return GRPC_STATUS[status] ?? 'UNKNOWN'
}
