import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import { Problem, type ProblemKind } from './problem.ts'
import { violationOf } from './violation.ts'

/**
 * Bodies are taken as they are; in the path and the query, where everything is text, numbers are read first. A schema is
 * compiled when it is first needed, which spares the start of the server.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: Validator | undefined
  const kind: ProblemKind = httpPart === 'body' ? 'invalid-body' : 'invalid-parameter'
  return (value: unknown) => {
    const read = httpPart === 'body' ? value : withNumbers(schema, value)
    compiled ??= Compile(schema)
    if (compiled.Check(read)) return { value: read }
    // A body that needs to say nothing may be left out.
    if (httpPart === 'body' && (read ?? null) === null && compiled.Check({})) return { value: {} }
    return { error: new Problem(kind, violationOf(schema, read, compiled.Errors(read))) }
  }
}

const WHOLE_NUMBER = /^-?\d{1,16}$/

function withNumbers(schema: TSchema, value: unknown): unknown {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, given]) =>
      properties[name]?.type === 'integer' && typeof given === 'string' && WHOLE_NUMBER.test(given)
        ? [name, Number(given)]
        : [name, given],
    ),
  )
}
