/** Which version of a specification counts at a moment. */
import type { Document } from '../../kernel/documents.js'
import { type OpenApiSpecDoc, type OpenApiVersionDoc, openApiSpecs, openApiVersions } from '../../model/index.js'
import type { App } from '../context/app.js'
import { findSpec } from './specs.js'

/** Which version counts: the newest, or the one that was the newest at a time (seconds since 1970). */
export type Moment = number | null

/** A specification and the version of it that counts; null if it has none yet. */
export interface SpecAt {
  spec: Document<OpenApiSpecDoc>
  version: OpenApiVersionDoc | null
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

const secondsOf = ({ createdAt }: OpenApiVersionDoc): number => Math.floor(Date.parse(createdAt) / 1000)

async function versionAt(app: App, spec: Document<OpenApiSpecDoc>, moment: Moment): Promise<OpenApiVersionDoc | null> {
  const last = spec.lastVersion === undefined ? null : await app.store.get(openApiVersions, spec.lastVersion)
  if (!last || moment === null || secondsOf(last) <= moment) return last
  const older = (await app.store.find(openApiVersions, 'spec', spec.id)).sort((a, b) => b.number - a.number)
  return older.find((one) => secondsOf(one) <= moment) ?? older.at(-1) ?? last
}

/**
 * The specification of an organization with a slug, as it was at a moment; null if there is none. If all versions that are kept are younger, the
 * oldest of them counts.
 */
export async function findSpecAt(app: App, organization: string, slug: string, moment: Moment): Promise<SpecAt | null> {
  const spec = await findSpec(app.store, organization, slug)
  return spec && { spec, version: await versionAt(app, spec, moment) }
}
