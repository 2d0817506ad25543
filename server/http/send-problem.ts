import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROBLEM_CONTENT_TYPE, type Problem, problemBody } from './problem.ts'
import { problemOfError } from './problem-of-error.ts'

/** The one place where an error becomes an answer. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOfError(error)
  logFault(problem, request)
  const body = JSON.stringify(problemBody(problem, pathOf(request.url)))
  // Bytes, because the framework adds a charset to JSON that is sent as text, and this media type has none.
  reply.headers({ ...problem.headers, 'x-request-id': request.id })
  return reply.code(problem.status).type(PROBLEM_CONTENT_TYPE).send(Buffer.from(body))
}

/** A fault of ours is an error; a part that cannot serve for a while is worth a warning. */
function logFault(problem: Problem, { log }: FastifyRequest): void {
  if (problem.status < 500) return
  const line = { err: problem.cause ?? problem, problem: problem.kind }
  if (problem.status === 500) log.error(line, problem.message)
  else log.warn(line, problem.message)
}

/** Without the query, which may hold a secret. */
export function pathOf(url: string): string {
  const query = url.indexOf('?')
  return query === -1 ? url : url.slice(0, query)
}
