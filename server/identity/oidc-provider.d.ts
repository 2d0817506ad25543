/** Only what is used here; the package comes without types. */
declare module 'oidc-provider' {
  import type { EventEmitter } from 'node:events'
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export type Payload = Record<string, unknown>

  export interface Adapter {
    upsert(id: string, payload: Payload, expiresInS: number): Promise<void>
    find(id: string): Promise<Payload | undefined>
    findByUid(uid: string): Promise<Payload | undefined>
    findByUserCode(userCode: string): Promise<Payload | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  export interface Client {
    readonly clientId: string
    readonly clientSecret: string
    readonly applicationType: string
    grantTypeAllowed(grantType: string): boolean
  }

  export interface Grant {
    readonly accountId: string
    addOIDCScope(scope: string): void
    addResourceScope(resource: string, scope: string): void
    save(): Promise<string>
  }

  export interface Interaction {
    readonly uid: string
    readonly prompt: { readonly name: string }
    readonly params: { readonly client_id?: string; readonly redirect_uri?: string }
    readonly session?: { readonly accountId: string }
  }

  export interface Context {
    readonly req: IncomingMessage
    readonly res: ServerResponse
    readonly path: string
    readonly method: string
    status: number
    body: unknown
    type: string
    set(name: string, value: string): void
    redirect(url: string): void
    readonly oidc: {
      readonly client: Client
      readonly account: { readonly accountId: string }
      readonly session: { grantIdFor(clientId: string): string | undefined }
      readonly provider: Provider
    }
  }

  export type Middleware = (context: Context, next: () => Promise<void>) => Promise<void>

  export interface InteractionResult {
    login?: { accountId: string; amr: string[] }
    consent?: Record<string, never>
    error?: string
    error_description?: string
  }

  export class Provider extends EventEmitter {
    constructor(issuer: string, configuration: Record<string, unknown>)
    readonly request: object
    readonly Client: { prototype: { compareClientSecret: (this: Client, secret: string) => boolean } }
    readonly Grant: {
      new (owner: { accountId: string; clientId: string }): Grant
      find(id: string): Promise<Grant | undefined>
    }
    use(middleware: Middleware): this
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>
    interactionResult(request: IncomingMessage, response: ServerResponse, result: InteractionResult): Promise<string>
  }

  export const errors: {
    InvalidGrant: new (detail: string) => Error
    InvalidTarget: new () => Error
    SessionNotFound: new (description: string) => Error
  }
}
