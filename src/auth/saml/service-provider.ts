/** Implements the SAML service provider: its metadata, and requests to identity providers. */
import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from '@node-saml/node-saml'

/** The addresses of this service provider. */
export interface ServiceProvider {
  entityId: string
  acsUrl: string
}

/** Returns the metadata, as XML. */
export const metadataOf = ({ entityId, acsUrl }: ServiceProvider): string =>
  generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
  })

/** Returns the URL at the identity provider that starts a sign-in. `request` is the ID of the request, an XML name. */
export function requestUrl(
  { entityId, acsUrl }: ServiceProvider,
  ssoUrl: string,
  request: string,
  relayState: string,
): Promise<string> {
  const saml = new SAML({
    issuer: entityId,
    callbackUrl: acsUrl,
    entryPoint: ssoUrl,
    // The constructor requires a certificate, which requests do not need.
    idpCert: 'unused',
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => request,
    validateInResponseTo: ValidateInResponseTo.never,
  })
  return saml.getAuthorizeUrlAsync(relayState, undefined, {})
}
