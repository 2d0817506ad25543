import type { Context, Grant } from 'oidc-provider'
import type { ControlStoreWithAuthority } from '../../control/authority-store.ts'
import type { AuthorityKeys } from './authority-keys.ts'
import { createClientAdapter } from './client-adapter.ts'
import { firstPartyClients } from './first-party-clients.ts'
import type { loadOidcProvider } from './load-oidc-provider.ts'
import { messagePage, signOutPage } from './pages.ts'
import { createPayloadAdapter } from './payload-adapter.ts'
import { sendPage } from './send-page.ts'

const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
const SIGNED_IN_S = 14 * DAY_S
const ACCESS_S = 10 * MINUTE_S

const SCOPES = 'openid offline_access email profile'
/** What a token may do is decided by roles; some libraries insist on asking for a scope. */
const API_SCOPE = 'api'

export interface ConfigurationOptions {
  library: Awaited<ReturnType<typeof loadOidcProvider>>
  control: ControlStoreWithAuthority
  keys: AuthorityKeys
  publicUrl: string
  audience: string
  mountPath: string
  reportError: (error: unknown) => void
}

export function configurationOf(options: ConfigurationOptions): Record<string, unknown> {
  const { library, control, keys, publicUrl, audience, mountPath } = options
  const alreadyUsed = () => new library.errors.InvalidGrant('already used')
  const cookie = { signed: true, httpOnly: true, sameSite: 'lax' }
  return {
    adapter: (model: string) =>
      model === 'Client'
        ? createClientAdapter(control)
        : createPayloadAdapter(model, { store: control.authority, alreadyUsed }),
    jwks: { keys: keys.signing.map(({ key }) => key) },
    cookies: {
      keys: keys.cookies.map(({ key }) => key),
      names: { session: 'faultline_session', interaction: 'faultline_interaction', resume: 'faultline_resume' },
      long: { ...cookie, path: mountPath },
      short: cookie,
    },
    clients: firstPartyClients(publicUrl),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // A secret is stored as a hash, so that methods which sign with the secret cannot work.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientBasedCORS: (_context: Context, origin: string) => origin === new URL(publicUrl).origin,
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: SCOPES.split(' '),
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    rotateRefreshToken: true,
    issueRefreshToken: (context: Context) => context.oidc.client.grantTypeAllowed('refresh_token'),
    // Signing out in the browser ends what was begun there, not what runs in a terminal.
    expiresWithSession: (context: Context) => context.oidc.client.applicationType === 'web',
    loadExistingGrant: (context: Context) => grantEverything(context, audience),
    findAccount: (_context: Context, id: string) => findAccount(control, id),
    interactions: { url: (_context: Context, { uid }: { uid: string }) => `${mountPath}/interaction/${uid}` },
    features: featuresOf(options),
    renderError,
    ttl: {
      AccessToken: ACCESS_S,
      ClientCredentials: ACCESS_S,
      AuthorizationCode: MINUTE_S,
      IdToken: 60 * MINUTE_S,
      Interaction: 15 * MINUTE_S,
      Session: SIGNED_IN_S,
      Grant: SIGNED_IN_S,
      RefreshToken: SIGNED_IN_S,
    },
  }
}

function featuresOf({ library, audience }: ConfigurationOptions): Record<string, unknown> {
  const resourceServer = {
    scope: API_SCOPE,
    audience,
    accessTokenTTL: ACCESS_S,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'ES256' } },
  }
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    userinfo: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: ofTheSameClient },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => audience,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context: Context, resource: string) => {
        if (resource !== audience) throw new library.errors.InvalidTarget()
        return resourceServer
      },
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (context: Context, form: string) => sendPage(context, { status: 200, html: signOutPage(form) }),
      postLogoutSuccessSource: (context: Context) =>
        sendPage(context, { status: 200, html: messagePage('Signed out', 'You are signed out of Faultline.') }),
    },
  }
}

function ofTheSameClient(_context: Context, client: { clientId: string }, token: { clientId: string }): boolean {
  return client.clientId === token.clientId
}

/** The clients that people sign in to are part of the product: signing in is consent. */
async function grantEverything({ oidc }: Context, audience: string): Promise<Grant> {
  const { clientId } = oidc.client
  const { accountId } = oidc.account
  const existingId = oidc.session.grantIdFor(clientId)
  const existing = existingId === undefined ? undefined : await oidc.provider.Grant.find(existingId)
  if (existing?.accountId === accountId) return existing
  const grant = new oidc.provider.Grant({ accountId, clientId })
  grant.addOIDCScope(SCOPES)
  grant.addResourceScope(audience, API_SCOPE)
  await grant.save()
  return grant
}

async function findAccount(control: ControlStoreWithAuthority, id: string) {
  const user = await control.users.find(id)
  if (user === undefined) return undefined
  const claims = { sub: id, email: user.email, email_verified: true, name: user.name }
  return { accountId: id, claims: async () => claims }
}

function renderError(context: Context, { error, error_description }: Record<string, string>): void {
  const message = `${error_description ?? 'The request could not be understood.'} (${error})`
  sendPage(context, { status: context.status, html: messagePage('That did not work', message) })
}
