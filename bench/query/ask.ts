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
    const method = question.body ? 'POST' : 'GET'
    return JSON.parse(await this.send(method, question.path(this.server.gridId, ids), question.body))
  }

  /** The text of an answer; `path` is below `/apm/`. */
  async send(method: 'GET' | 'POST' | 'PUT', path: string, body?: object): Promise<string> {
    const answer = await this.client.request({
      method,
      path: `/apm/${path}`,
      headers: { 'api-key': this.server.apiKey, 'x-api-version': '2.0', 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const text = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} /apm/${path}: ${answer.statusCode} ${text}`)
    return text
  }

  async close(): Promise<void> {
    await this.client.close()
  }
}
