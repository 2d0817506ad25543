import type { Adapter } from 'oidc-provider'
import type { ControlStoreWithAuthority } from '../../control/authority-store.ts'

/** The machines of the control store. In place of the secret stands its hash, which `compareClientSecret` knows. */
export function createClientAdapter(control: ControlStoreWithAuthority): Adapter {
  const refuse = async () => {
    throw new Error('Clients are registered in the control store only.')
  }
  return {
    async find(id) {
      if (!/^[\x21-\x7e]{1,200}$/.test(id)) return undefined
      const [client, secretHash] = await Promise.all([control.clients.find(id), control.authority.clientSecretHash(id)])
      if (client === undefined || secretHash === undefined) return undefined
      return {
        client_id: client.id,
        client_name: client.name,
        client_secret: secretHash,
        token_endpoint_auth_method: 'client_secret_basic',
        grant_types: ['client_credentials'],
        response_types: [],
        redirect_uris: [],
      }
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    upsert: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  }
}
