import type { Runtime } from '../topology/service-spec.ts'
import { DIALECTS } from './dialect.ts'

/** The same failure at the same place always has the same trace, as in a real program. */
export function stackTraceOf(
  runtime: Runtime,
  service: string,
  operation: string,
  type: string,
  message: string,
): string {
  const { frame } = DIALECTS[runtime]
  const line = 20 + (sumOf(operation + type) % 180)
  const frames = [frame(service, line), frame('http', 88), frame('server', 41)]
  if (runtime === 'python')
    return ['Traceback (most recent call last):', ...frames.reverse(), `${type}: ${message}`].join('\n')
  return [`${type}: ${message}`, ...frames].join('\n')
}

function sumOf(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i += 1) sum = (sum * 31 + text.charCodeAt(i)) % 100_003
  return sum
}
