/** The provider that vouches for bearer tokens could not be asked: the token may be good, and the same call may succeed later. */
export class IdentityProviderUnavailable extends Error {
  override readonly name = 'IdentityProviderUnavailable'
}
