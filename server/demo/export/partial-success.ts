import { DiagLogLevel, diag } from '@opentelemetry/api'

/**
 * The exporters take a partly refused batch for a success and only mention it to OpenTelemetry's own logger, which is
 * one for the whole process. Listens there; returns a function that stops.
 */
export function onPartialSuccess(refused: (rejected: number, reason: string) => void): () => void {
  const ignore = (): void => {}
  const warn = (message: string, ...details: unknown[]): void => {
    const answer = details[0]
    if (!message.includes('Partial Success') || typeof answer !== 'string') return
    const { rejected, reason } = readAnswer(answer)
    if (rejected > 0) refused(rejected, reason)
  }
  const logger = { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  return () => diag.disable()
}

interface PartialSuccess {
  rejectedSpans?: number
  rejectedLogRecords?: number
  rejectedDataPoints?: number
  errorMessage?: string
}

function readAnswer(json: string): { rejected: number; reason: string } {
  const answer = JSON.parse(json) as PartialSuccess
  const rejected = answer.rejectedSpans ?? answer.rejectedLogRecords ?? answer.rejectedDataPoints ?? 0
  return { rejected: Number(rejected), reason: answer.errorMessage ?? '' }
}
