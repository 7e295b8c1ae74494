/** A published site of a service under test. */
import type { TestService } from '../support/service.js'

/** A response to a reader. */
export interface ReaderResponse {
  status: number
  text: string
  /** The path of a redirect below the site; '' is its root. */
  location: string | null
  headers: Headers
}

/** A site that readers open. */
export interface PublishedSite {
  /** Its path in the API. */
  api: string
  /** Its path for readers. */
  base: string
  get(path: string): Promise<ReaderResponse>
}

/** Creates and publishes a site with these spaces at its root. The first one is the default. */
export async function publishSite(
  here: TestService,
  spaces: readonly string[],
  settings: object = {},
): Promise<PublishedSite> {
  const sites = `/v1/orgs/${here.organization}/sites`
  const { admin } = here
  const { body } = await admin.call('post', sites, { title: 'Field guide', spaces, visibility: 'public' }).expect(201)
  const api = `${sites}/${body.id}`
  if (Object.keys(settings).length > 0) await admin.call('put', `${api}/customization`, settings).expect(200)
  const published = (await admin.call('post', `${api}/publish`).expect(200)).body.urls.published as string
  const base = new URL(published).pathname
  const get = async (path: string): Promise<ReaderResponse> => {
    const response = await fetch(`${here.service.sites}${base}${path}`, { redirect: 'manual' })
    const location = response.headers.get('location')
    return {
      status: response.status,
      text: await response.text(),
      location: location?.startsWith(base) ? location.slice(base.length) : location,
      headers: response.headers,
    }
  }
  return { api, base, get }
}
