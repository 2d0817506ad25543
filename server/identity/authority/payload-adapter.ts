import type { Adapter, Payload } from 'oidc-provider'
import type { AuthorityStore, StoredOidcPayload } from '../../control/authority-store.ts'

/** What a grant that is withdrawn takes with it. */
const MODELS_OF_A_GRANT = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken'])

export interface PayloadAdapterOptions {
  store: AuthorityStore
  /** What to reject with where something that works once is used again. */
  alreadyUsed: () => Error
}

export function createPayloadAdapter(model: string, { store, alreadyUsed }: PayloadAdapterOptions): Adapter {
  const { payloads } = store
  return {
    async upsert(id, payload, expiresInS) {
      const { uid, grantId, accountId } = payload
      await payloads.put({
        model,
        id,
        payload: withoutSecrets(payload),
        uid: textOf(uid),
        grantId: MODELS_OF_A_GRANT.has(model) ? textOf(grantId) : null,
        accountId: textOf(accountId),
        expiresAtMs: Date.now() + expiresInS * 1000,
      })
    },

    async find(id) {
      const stored = await payloads.find(model, id, Date.now())
      return stored && { ...revived(stored), jti: id }
    },

    /** Without the id, which is known only to its holder: what is found this way is for reading. */
    async findByUid(uid) {
      const stored = await payloads.findByUid(model, uid, Date.now())
      return stored && revived(stored)
    },

    async consume(id) {
      if (!(await payloads.consume(model, id, Date.now()))) throw alreadyUsed()
    },

    findByUserCode: async () => undefined,
    destroy: (id) => payloads.remove(model, id),
    revokeByGrantId: (grantId) => payloads.removeOfGrant(grantId),
  }
}

/** The id of a token is the token, and an interaction repeats the id of its session, which is the cookie. */
function withoutSecrets({ jti: _, ...payload }: Payload): Payload {
  const { session } = payload
  if (typeof session !== 'object' || session === null) return payload
  return { ...payload, session: { ...session, cookie: undefined } }
}

function revived({ payload, consumedAtMs }: StoredOidcPayload): Payload {
  return consumedAtMs === null ? payload : { ...payload, consumed: Math.floor(consumedAtMs / 1000) }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
