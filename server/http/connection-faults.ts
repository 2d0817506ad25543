import { randomUUID } from 'node:crypto'
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { PROBLEM_CONTENT_TYPE, Problem, problemBody } from './problem.ts'
import { problemOfError } from './problem-of-error.ts'
import { requestIdOf } from './request-id.ts'
import { pathOf } from './send-problem.ts'

/** Answers what never became a request: the parser gave up, or the bytes came too slowly. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const recognised = problemOfError(error)
  const malformed = new Problem('malformed-request', 'The request is not proper HTTP.')
  const problem = recognised.kind === 'internal-error' ? malformed : recognised
  const body = JSON.stringify(problemBody(problem, ''))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_CONTENT_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Without a listener, Node answers an unknown `Expect` by itself and without a body. */
export function answerExpectations(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const problem = new Problem('expectation-failed', 'The header Expect may only ask for 100-continue.')
    const body = JSON.stringify(problemBody(problem, pathOf(request.url ?? '')))
    response.writeHead(problem.status, {
      'content-type': PROBLEM_CONTENT_TYPE,
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestIdOf(request),
      connection: 'close',
    })
    response.end(body)
  })
}
