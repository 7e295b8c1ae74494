import { type SiteDoc, sites } from '../../model/index.js'
import type { Document, Reader } from '../../store/index.js'

/** The sites that a space is on, deleted or not. A space that has any cannot go to another organization. */
export const sitesOfSpace = (reader: Reader, space: string): Promise<Document<SiteDoc>[]> => reader.find(sites, 'space', space)
