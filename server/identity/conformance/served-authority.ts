import helmet from '@fastify/helmet'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { ControlStoreWithAuthority } from '../../control/authority-store.ts'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import { type Authority, openAuthority } from '../authority/open-authority.ts'
import { createAuthorityBearer } from '../authority-bearer.ts'
import type { Bearer } from '../bearer.ts'

export interface ServedAuthority {
  control: ControlStoreWithAuthority
  authority: Authority
  bearer: Bearer
  publicUrl: string
  port: number
  faults: unknown[]
  close(): Promise<void>
}

/** The authority on a real port of 127.0.0.1, mounted the way a server mounts it. */
export async function serveAuthority({ path = ':memory:', port = 0 } = {}): Promise<ServedAuthority> {
  const app = fastify()
  await app.register(helmet)
  let authority: Authority | undefined
  const hand = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack()
    // A client would otherwise try to reuse the connection after a restart.
    reply.raw.setHeader('connection', 'close')
    authority?.handler(request.raw, reply.raw)
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null))
    scope.all('/oauth/*', hand)
    scope.get('/.well-known/:document/oauth', hand)
  })
  const publicUrl = await app.listen({ host: '127.0.0.1', port })
  const control = await openSqliteControlStore(path)
  const faults: unknown[] = []
  const opened = await openAuthority({ control, publicUrl, reportError: (error) => faults.push(error) })
  authority = opened
  return {
    control,
    authority: opened,
    bearer: createAuthorityBearer({ authority: opened, control }),
    publicUrl,
    port: Number(new URL(publicUrl).port),
    faults,
    async close() {
      await app.close()
      await opened.close()
      await control.close()
    },
  }
}
