import type { ControlStore } from './control-store.ts'

/** Something that oidc-provider has to remember for a while: a session, a grant, a refresh token. */
export interface OidcPayload {
  model: string
  /** Whoever holds it may use what it names, so that only a hash of it is stored. */
  id: string
  payload: Record<string, unknown>
  uid: string | null
  grantId: string | null
  accountId: string | null
  expiresAtMs: number
}

export interface StoredOidcPayload {
  payload: Record<string, unknown>
  consumedAtMs: number | null
}

/** What the embedded authority keeps beside users and clients. */
export interface AuthorityStore {
  settings: {
    /** Replaces a value by what `change` makes of it; nobody else changes it in between. */
    update(key: string, change: (current: string | undefined) => string): Promise<string>
  }
  payloads: {
    /** Beyond a limit for each model, those that end soonest are forgotten. */
    put(record: OidcPayload): Promise<void>
    /** What has expired is not found. */
    find(model: string, id: string, nowMs: number): Promise<StoredOidcPayload | undefined>
    findByUid(model: string, uid: string, nowMs: number): Promise<StoredOidcPayload | undefined>
    /** False where it was consumed before: of two who try at once, one succeeds. */
    consume(model: string, id: string, nowMs: number): Promise<boolean>
    remove(model: string, id: string): Promise<void>
    removeOfGrant(grantId: string): Promise<void>
    /** Deletes what has expired, a bounded number at a time; resolves to how many there were. */
    purge(nowMs: number): Promise<number>
  }
  /** The SHA-256 of a client's secret, in hex. */
  clientSecretHash(clientId: string): Promise<string | undefined>
}

export interface ControlStoreWithAuthority extends ControlStore {
  authority: AuthorityStore
}
