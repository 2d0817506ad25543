import type { DatabaseSpec, Style, TopicSpec } from '../system/generated-system.ts'
import type { Values } from './otlp-json.ts'

interface HttpCall {
  /** `GET /path`, or a gRPC method. */
  operation: string
  address: string
}

/** Attributes under the names that OpenTelemetry gives or gave them. */
export class Conventions {
  readonly #isCurrent: boolean

  constructor({ conventions }: Style) {
    this.#isCurrent = conventions === 'current'
  }

  served(operation: string, path: string): Values {
    const [method = '', route = ''] = operation.split(' ')
    if (route === '') return { 'rpc.system': 'grpc', 'rpc.method': operation }
    if (this.#isCurrent) return { 'http.request.method': method, 'http.route': route, 'url.path': path }
    return { 'http.method': method, 'http.route': route, 'http.target': path }
  }

  called({ operation, address }: HttpCall): Values {
    const [method = '', route = ''] = operation.split(' ')
    const name = this.#isCurrent ? { 'server.address': address } : { 'net.peer.name': address }
    if (route === '') return { 'rpc.system': 'grpc', 'rpc.method': operation, ...name }
    if (this.#isCurrent) return { 'http.request.method': method, 'url.full': `http://${address}${route}`, ...name }
    return { 'http.method': method, 'http.url': `http://${address}${route}`, ...name }
  }

  status(operation: string, status: number): Values {
    if (!operation.includes(' ')) return { 'rpc.grpc.status_code': status < 400 ? 0 : status === 404 ? 5 : 13 }
    return this.#isCurrent ? { 'http.response.status_code': status } : { 'http.status_code': status }
  }

  query({ system, name, address }: DatabaseSpec, statement: string, table: string): Values {
    const text = `${statement} ${table} WHERE id = ?`
    if (this.#isCurrent)
      return {
        'db.system.name': system,
        'db.namespace': name,
        'db.operation.name': statement,
        'db.query.text': text,
        'server.address': address,
      }
    return { 'db.system': system, 'db.name': name, 'db.statement': text, 'net.peer.name': address }
  }

  message({ system, name }: TopicSpec, type: 'send' | 'process'): Values {
    return this.#isCurrent
      ? { 'messaging.system': system, 'messaging.destination.name': name, 'messaging.operation.type': type }
      : { 'messaging.system': system, 'messaging.destination': name, 'messaging.operation': type }
  }
}
