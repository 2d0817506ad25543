import { Client } from 'undici'
import type { SpanIds } from '../load/load-report.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import type { Question } from './questions.ts'

/** Asks over one kept connection. */
export class Asker {
  private readonly client: Client
  private readonly server: MeasuredServer

  constructor(server: MeasuredServer) {
    this.server = server
    this.client = new Client(server.url, { headersTimeout: 120_000 })
  }

  /** Resolves with the answer; an error of the server is an error here. */
  async ask(question: Question, ids: SpanIds): Promise<unknown> {
    const answer = await this.client.request({
      method: question.body ? 'POST' : 'GET',
      path: `/apm/${question.path(this.server.gridId, ids)}`,
      headers: { 'api-key': this.server.apiKey, 'x-api-version': '2.0', 'content-type': 'application/json' },
      ...(question.body ? { body: JSON.stringify(question.body) } : {}),
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${question.name}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }

  async close(): Promise<void> {
    await this.client.close()
  }
}
