/** A response of an identity provider that is not accepted. The message is a sentence that says which check failed, without values of the response. */
export class SamlRefused extends Error {
  override name = 'SamlRefused'
}
