/** Determines the version of a specification at a moment. */
import type { Document } from '../../kernel/documents.js'
import { type OpenApiSpecDoc, type OpenApiVersionDoc, openApiSpecs, openApiVersions } from '../../model/index.js'
import type { App } from '../context/app.js'
import { findSpec } from './specs.js'

/** Selects a version: null = the newest; otherwise the one that was the newest at a time (seconds since 1970). */
export type Moment = number | null

/** A specification and its selected version. Null if it has no version yet. */
export interface SpecAt {
  spec: Document<OpenApiSpecDoc>
  version: OpenApiVersionDoc | null
}

/** Returns a stamp for responses that show specifications of an organization: each slug with its newest version. */
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
 * Finds the specification of an organization with a slug, at a moment. Null if there is none. If all stored versions
 * are younger, the oldest one counts.
 */
export async function findSpecAt(app: App, organization: string, slug: string, moment: Moment): Promise<SpecAt | null> {
  const spec = await findSpec(app.store, organization, slug)
  return spec && { spec, version: await versionAt(app, spec, moment) }
}
