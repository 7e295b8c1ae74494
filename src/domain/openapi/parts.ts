/** The parts of specifications that pages and blocks show: which version counts, its index, and the parts themselves. */
import { type OpenApiSpecDoc, openApiSpecs, openApiVersions, type OpenApiVersionDoc, type PartIndex, type PartPlace } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { findSpec } from './specs.js'

/** Which version counts: the newest, or the one that was the newest at a time (seconds since 1970). */
export type Moment = number | null

/** A specification and the version of it that counts; null if it has none yet. */
export interface SpecAt {
  spec: Document<OpenApiSpecDoc>
  version: OpenApiVersionDoc | null
}

/**
 * The specification of an organization with a slug, as it was at a moment; null if there is none. If all versions that are kept are younger, the
 * oldest of them counts.
 */
export async function findSpecAt(app: App, organization: string, slug: string, moment: Moment): Promise<SpecAt | null> {
  const spec = await findSpec(app.store, organization, slug)
  return spec && { spec, version: await versionAt(app, spec, moment) }
}

async function versionAt(app: App, spec: Document<OpenApiSpecDoc>, moment: Moment): Promise<OpenApiVersionDoc | null> {
  const last = spec.lastVersion === undefined ? null : await app.store.get(openApiVersions, spec.lastVersion)
  if (!last || moment === null || secondsOf(last) <= moment) return last
  const older = (await app.store.find(openApiVersions, 'spec', spec.id)).sort((a, b) => b.number - a.number)
  return older.find((one) => secondsOf(one) <= moment) ?? older.at(-1) ?? last
}

const secondsOf = ({ createdAt }: OpenApiVersionDoc): number => Math.floor(Date.parse(createdAt) / 1000)

/** The index of a version's parts; null if its file is gone, which `fsck` reports, or not made yet. */
export async function partIndexOf(app: App, { index }: Pick<OpenApiVersionDoc, 'index'>): Promise<PartIndex | null> {
  if (!index) return null
  const known = app.content.partIndexes.get(index)
  if (known) return known
  const bytes = await unlessGone(app.specFiles.read(index))
  if (!bytes) return null
  const made = JSON.parse(bytes.toString()) as PartIndex
  app.content.partIndexes.set(index, made)
  return made
}

/** A part as it is stored: what can be found of it, and what is shown, as JSON. */
export interface StoredPart {
  title: string
  words: string
  shown: string
}

/** Parts of a version, in the order of their places; null if the file is gone. */
export async function readParts(app: Pick<App, 'specFiles'>, file: string, places: readonly PartPlace[]): Promise<StoredPart[] | null> {
  const found = await unlessGone(app.specFiles.readRanges(file, places))
  return (
    found?.map((bytes) => {
      const [about = '', shown = 'null'] = bytes.toString().split('\n')
      return { ...(JSON.parse(about) as Pick<StoredPart, 'title' | 'words'>), shown }
    }) ?? null
  )
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** What responses that show specifications of an organization depend on: each slug with its newest version. */
export async function specStamp(app: App, organization: string): Promise<string> {
  const all = await app.store.find(openApiSpecs, 'organization', organization)
  const stamps = all.map(async ({ slug, lastVersion = '' }) => {
    const version = lastVersion === '' ? null : await app.store.get(openApiVersions, lastVersion)
    return `${slug}:${lastVersion}${version?.index ? '' : ':without parts'}`
  })
  return (await Promise.all(stamps)).sort().join()
}
