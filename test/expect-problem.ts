import { STATUS_CODES } from 'node:http'
import { expect } from 'vitest'
import type { Answer } from './api.ts'

/** Nothing of the inside may show: neither SQL, a stack, a file, nor a name of ours. */
const INSIDE = /select |insert |duckdb|sqlite|libsql|node_modules|\.[jt]s:\d|at async|\/tmp\/|exception/i

/** The answer is a problem of that kind with all of its five fields and no other, and says nothing of the inside. */
export function expectProblem(answer: Answer, status: number, kind: string, detail: RegExp = /./): void {
  const path = expect.stringMatching(/^\/[^?]*$/)
  expect(answer.body).toEqual({
    type: `urn:faultline:problem:${kind}`,
    title: STATUS_CODES[status],
    status,
    detail: expect.stringMatching(detail),
    instance: path,
  })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w.:-]{1,64}$/)
  expect(String(answer.body['detail'])).not.toMatch(INSIDE)
}
