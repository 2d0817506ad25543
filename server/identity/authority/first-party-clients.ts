const UI_CLIENT_ID = 'faultline-ui'
export const CLI_CLIENT_ID = 'faultline-cli'

const PUBLIC_CLIENT = {
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
}

/** Clients that need no secret and no consent to be asked for, since they are part of the product. */
export function firstPartyClients(publicUrl: string): Record<string, unknown>[] {
  return [
    {
      ...PUBLIC_CLIENT,
      client_id: UI_CLIENT_ID,
      client_name: 'Faultline',
      application_type: 'web',
      redirect_uris: [`${publicUrl}/ui/callback`],
      post_logout_redirect_uris: [`${publicUrl}/ui/`],
    },
    {
      ...PUBLIC_CLIENT,
      client_id: CLI_CLIENT_ID,
      client_name: 'Faultline CLI',
      application_type: 'native',
      // The port is left out of the comparison for native clients on loopback addresses.
      redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
    },
  ]
}
