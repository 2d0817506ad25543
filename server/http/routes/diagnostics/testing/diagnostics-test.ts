import type { SpanLiteral } from '../../../../storage/conformance/span-builder.ts'
import { type Answer, createTestApp, type TestApp } from '../../../testing/test-app.ts'

const MINUTE_MS = 60_000

export interface DiagnosticsTest {
  app: TestApp
  /** Goes on with a new, empty Grid. */
  useNewGrid(): Promise<void>
  /** Asks for what comes after the Grid in the path, as somebody who may only read. */
  ask(path: string): Promise<Answer>
}

export async function createDiagnosticsTest(): Promise<DiagnosticsTest> {
  const app = await createTestApp()
  let headers: Record<string, string> = {}
  return {
    app,
    async useNewGrid() {
      await app.useNewGrid()
      headers = await app.key('Guest', ['read'])
    },
    ask: (path) => app.ask({ url: `/apm/diagnostics/${app.gridId}/${path}`, headers }),
  }
}

let made = 0

/** SERVER spans, each in a trace of its own, that begin so many minutes after 10:00. It is 12:00. */
export function requestsAt(minute: number, count: number, literal: SpanLiteral = {}): SpanLiteral[] {
  return Array.from({ length: count }, (_, n) => {
    const id = (++made).toString(16)
    return { trace: id, id, kind: 'SERVER' as const, atMs: minute * MINUTE_MS + n, ...literal }
  })
}
