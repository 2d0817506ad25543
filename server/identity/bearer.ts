import type { Caller } from './caller.ts'

/** Who a bearer token speaks for. Rejects with `AuthenticationFailed` or `IdentityProviderUnavailable`. */
export type Bearer = (token: string) => Promise<Caller>
