/** What this service says as a SAML service provider: its metadata, and requests to identity providers. */
import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from '@node-saml/node-saml'

/** The addresses of this service provider. */
export interface ServiceProvider {
  entityId: string
  acsUrl: string
}

/** The metadata, as XML. */
export const metadataOf = ({ entityId, acsUrl }: ServiceProvider): string =>
  generateServiceProviderMetadata({
    issuer: entityId,
    callbackUrl: acsUrl,
    identifierFormat: null,
    wantAssertionsSigned: true,
  })

/** The URL at the identity provider that begins a sign-in. `request` is the ID of the request, an XML name. */
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
    // the constructor asks for a certificate, which requests do not need
    idpCert: 'unused',
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    generateUniqueId: () => request,
    validateInResponseTo: ValidateInResponseTo.never,
  })
  return saml.getAuthorizeUrlAsync(relayState, undefined, {})
}
