/** Finds the public URLs of a space or a revision. */
import { organizations, type SpaceDoc } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { MAIN } from '../context/refs.js'
import { publishedSpaces } from './published-spaces.js'
import { validShareKey } from './share-links.js'
import { sitesOfSpace } from '../spaces/sites-of-space.js'
import { defined } from '../../kernel/defined.js'

/** The URLs of a space for visitors. */
interface SpaceAddresses {
  /** On the oldest published site that shows the space. */
  published?: string
  /** The same URL, if that site is public. */
  public?: string
}

/** Returns the URLs of a space for visitors. There are none while it is deleted, a draft, or on no published site. */
export async function addressesOfSpace(app: App, space: SpaceDoc, shareKey?: string): Promise<SpaceAddresses> {
  const shown = (await sitesOfSpace(app.store, space.id)).filter((site) => site.published)
  const [site] = shown.sort((a, b) =>
    a.createdAt < b.createdAt || (a.createdAt === b.createdAt && a.id < b.id) ? -1 : 1,
  )
  const organization = site && (await app.store.get(organizations, site.organization))
  if (!site || !organization) return {}
  const key = await validShareKey(app.store, site, shareKey)
  const address = { app, organization, site, ...defined({ shareKey: key }) }
  const published = publishedSpaces(address).find((one) => one.space === space.id)?.url
  if (published === undefined) return {}
  return { published, ...(site.visibility === 'public' ? { public: published } : {}) }
}

/** Returns the URLs of a revision for visitors: those of the space if it is the head of main, otherwise none. */
export async function addressesOfRevision(
  app: App,
  { doc, repo }: LoadedSpace,
  revision: string,
): Promise<SpaceAddresses> {
  return repo.refs.head(MAIN) === revision ? addressesOfSpace(app, doc) : {}
}
