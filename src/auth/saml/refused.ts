/** A rejected response of an identity provider. The message names the failed check, without values of the response. */
export class SamlRefused extends Error {
  override name = 'SamlRefused'
}
