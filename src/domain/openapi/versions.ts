/** Reads versions of a specification and signs URLs for their content. */
import { asError, errorCode } from '../../kernel/thrown.js'
import { notFound, ServiceError } from '../../kernel/errors.js'
import { type Page, type PageQuery, pageOf } from '../../kernel/paging.js'
import { type OpenApiSpecDoc, openApiVersions, type OpenApiVersionDoc, SPEC_FILE } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { expiryOf, isSigned, signatureOf } from '../context/signed-url.js'
import { findSpec } from './specs.js'

type Version = Document<OpenApiVersionDoc>

/** Lists the versions of a specification, newest first. */
export const listVersions = (app: App, spec: Document<OpenApiSpecDoc>, query: PageQuery): Promise<Page<Version>> =>
  pageOf(app.store, openApiVersions, 'number', spec.id, { ...query, order: 'desc' })

/** Finds a version of the specification. Null if there is none. */
export async function findVersion(app: App, spec: Document<OpenApiSpecDoc>, id: string): Promise<Version | null> {
  const version = await app.store.get(openApiVersions, id)
  return version?.spec === spec.id ? version : null
}

/** Returns the newest version. Throws 404 if there is none (yet). */
export async function getLatestVersion(app: App, spec: Document<OpenApiSpecDoc>): Promise<Version> {
  const version = spec.lastVersion === undefined ? null : await app.store.get(openApiVersions, spec.lastVersion)
  if (!version) throw notFound('A version of this specification')
  return version
}

/** Returns a URL for the document of a version that works without a token. */
export function versionUrl(app: App, { id }: Pick<Version, 'id'>): string {
  const expires = expiryOf(app)
  return `${app.settings.publicUrl}/v1/openapi/${id}/${SPEC_FILE}?expires=${expires}&signature=${signatureOf(app, ['openapi', id], expires)}`
}

/**
 * Returns the version of a signed URL. Throws 404 if the signature is invalid, the URL has expired, or the version is
 * gone.
 */
export async function openSignedVersion(app: App, id: string, expires: number, signature: string): Promise<Version> {
  const version = isSigned(app, ['openapi', id], expires, signature) ? await app.store.get(openApiVersions, id) : null
  if (!version) throw notFound('This document')
  return version
}

/** Returns the newest version of a public specification. Null if there is none, or if it is private. */
export async function findPublished(app: App, organization: string, slug: string): Promise<Version | null> {
  const spec = await findSpec(app.store, organization, slug)
  if (spec?.visibility !== 'public' || spec.lastVersion === undefined) return null
  return app.store.get(openApiVersions, spec.lastVersion)
}

/** Reads the bundled document of a version as JSON. Throws 503 if its file is missing or damaged. */
export async function readDocument(app: App, version: Pick<OpenApiVersionDoc, 'content'>): Promise<Buffer> {
  try {
    return await app.specFiles.read(version.content)
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT' && asError(cause).name !== 'WrongBytes') throw cause
    app.log.error(
      { error: cause, version: version.content },
      'The document of a specification is missing or damaged. Stop the server and run fsck --deep.',
    )
    const message =
      'The document of this version is missing or damaged on the server. Send the source of the specification again, or ask an operator to run fsck.'
    throw new ServiceError('unavailable', message, { cause })
  }
}
