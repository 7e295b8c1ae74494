import type { SiteDoc } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import { findShareLink } from './share-links.js'

/** `key` where it is that of an active share link of the site, and the site is published by share link; else undefined. */
export async function validShareKey(reader: Reader, site: SiteDoc, key: string | undefined): Promise<string | undefined> {
  if (key === undefined || site.visibility !== 'share-link') return undefined
  return (await findShareLink(reader, site, key)) ? key : undefined
}
