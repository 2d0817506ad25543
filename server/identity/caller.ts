import type { Role, Scope } from '../control/control-store.ts'

/** Who is asking, proven by a credential. */
export type Caller =
  | { kind: 'key'; id: string; gridId: string; role: Role; scopes: Scope[] }
  /** `subjects` are the names under which a role may have been given: the subject, a verified e-mail address. */
  | { kind: 'user'; id: string; subjects: string[]; admin: boolean }
  | { kind: 'client'; id: string; subjects: string[]; admin: boolean }

export interface Credentials {
  apiKey: string | undefined
  authorization: string | undefined
}

export interface Authenticator {
  /** Rejects with `AuthenticationFailed`. An API key wins where both are given. */
  authenticate(credentials: Credentials): Promise<Caller>
}

/** The message says what was wrong without helping to guess. */
export class AuthenticationFailed extends Error {
  override readonly name = 'AuthenticationFailed'
}
