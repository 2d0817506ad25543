import * as client from 'openid-client'
import { expect, it, vi } from 'vitest'
import { serveAuthority } from '../conformance/served-authority.ts'
import { ANN, discover, signIn } from '../conformance/sign-in.ts'
import { loadOidcProvider } from './load-oidc-provider.ts'

it('prints nothing at the start and in ordinary use', async () => {
  const printed: unknown[] = []
  const note = (...parts: unknown[]) => printed.push(parts)
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const)
    vi.spyOn(console, level).mockImplementation(note)
  process.on('warning', note)
  const served = await serveAuthority()
  const { secret } = await served.control.clients.create({ id: 'ci', name: 'CI', admin: false })
  await served.control.users.create(ANN)
  await client.clientCredentialsGrant(await discover(served, 'ci', secret))
  const { configuration, tokens } = await signIn(served)
  await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '')
  await fetch(`${served.authority.issuer}/auth?client_id=nobody`)
  await served.close()
  process.off('warning', note)
  expect(printed).toEqual([])
  vi.restoreAllMocks()
})

it('leaves console.warn as it was', async () => {
  const { warn } = console
  await loadOidcProvider()
  expect(console.warn).toBe(warn)
})
