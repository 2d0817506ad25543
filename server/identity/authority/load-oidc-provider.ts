type OidcProviderLibrary = typeof import('oidc-provider')

/**
 * Loaded only where the server is its own provider. At import the library warns that it no longer supports Node 20, on
 * which everything that is used of it is tested here: that one line is kept from whoever starts the server.
 */
export async function loadOidcProvider(): Promise<OidcProviderLibrary> {
  const { warn } = console
  console.warn = (...parts: unknown[]) => {
    if (!String(parts[0]).includes('oidc-provider WARNING: Unsupported runtime.')) warn(...parts)
  }
  try {
    return await import('oidc-provider')
  } finally {
    console.warn = warn
  }
}
