// Manages the schema of the claims about a site's visitors, and the conditions derived from it.
import { checkCondition } from '../../content/conditions/check.js'
import { ConditionError } from '../../content/conditions/error.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import { type AdaptiveJsonSchema, type SiteAdaptiveSchemaDoc, siteAdaptiveSchemas } from '../../model/index.js'
import type { App } from '../context/app.js'
import type { Actor } from '../context/actor.js'
import type { LoadedSite } from '../context/loaded.js'
import { changeSiteDocuments } from './site-documents.js'
import { defined } from '../../kernel/defined.js'

const MAX_NAME_LENGTH = 100

const emptySchema: AdaptiveJsonSchema = {
  type: 'object',
  properties: { unsigned: { type: 'object', properties: {}, additionalProperties: false } },
  additionalProperties: false,
}

/** Returns the schema of the claims about a site's visitors. The default schema has no claims. */
export async function getAdaptiveSchema(app: App, site: LoadedSite): Promise<SiteAdaptiveSchemaDoc> {
  return (
    (await app.store.get(siteAdaptiveSchemas, site.doc.id)) ?? {
      id: site.doc.id,
      jsonSchema: emptySchema,
      updatedAt: site.doc.createdAt,
    }
  )
}

/** Replaces the schema of a site. Throws 400 naming each claim that a condition could not refer to. */
export async function replaceAdaptiveSchema(
  app: App,
  actor: Actor,
  site: LoadedSite,
  jsonSchema: AdaptiveJsonSchema,
): Promise<SiteAdaptiveSchemaDoc> {
  const details = claimsOf(jsonSchema).flatMap(({ path, pointer }): ErrorDetail[] => nameFault(path, pointer))
  if (details.length > 0) throw badRequest('The schema has claims with invalid names.', details)
  return changeSiteDocuments(app, actor, site, 'adaptive-schema', async (tx) => {
    const next = { id: site.doc.id, jsonSchema, updatedAt: app.clock.now().toISOString() }
    const stored = await tx.get(siteAdaptiveSchemas, site.doc.id)
    return stored ? tx.replace(siteAdaptiveSchemas, { ...stored, ...next }) : tx.insert(siteAdaptiveSchemas, next)
  })
}

/** A ready-made condition, with a description. */
interface TemplateCondition {
  description: string
  condition: string
}

/**
 * Returns two conditions for every claim of a schema, in its order: the claim is true, and it is not true (or unknown).
 */
export function templateConditions(jsonSchema: AdaptiveJsonSchema): TemplateCondition[] {
  return claimsOf(jsonSchema).flatMap(({ path, description }) => {
    const what = path.join('.') + (description ? ` (${description})` : '')
    return [
      { description: `${what} is true`, condition: `${expressionOf(path)} == true` },
      { description: `${what} is not true, or unknown`, condition: `${expressionOf(path)} != true` },
    ]
  })
}

interface Claim {
  path: string[]
  /** JSON pointer into the body. */
  pointer: string
  description?: string
}

function claimsOf({ properties }: AdaptiveJsonSchema): Claim[] {
  const { unsigned, ...signed } = properties
  const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
  const claimOf = (
    parents: string[],
    pointer: string,
    name: string,
    schema: { title?: string; description?: string } | undefined,
  ): Claim => {
    const description = schema?.description ?? schema?.title
    return {
      path: [...parents, name],
      pointer: `${pointer}/${escaped(name)}`,
      ...defined({ description }),
    }
  }
  return [
    ...Object.entries(unsigned?.properties ?? {}).map(([name, claim]) =>
      claimOf(['unsigned'], '/jsonSchema/properties/unsigned/properties', name, claim),
    ),
    ...Object.entries(signed).map(([name, claim]) => claimOf([], '/jsonSchema/properties', name, claim)),
  ]
}

const expressionOf = (path: readonly string[]): string =>
  `visitor.claims${path.map((name) => (/^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`)).join('')}`

function nameFault(path: readonly string[], pointer: string): ErrorDetail[] {
  const name = path.at(-1) ?? ''
  if (name === '' || name.length > MAX_NAME_LENGTH)
    return [{ path: pointer, message: `the name of a claim must have 1 to ${MAX_NAME_LENGTH} characters` }]
  if (/[\u0000-\u001f\u007f]/.test(name))
    return [{ path: pointer, message: 'the name of a claim must have no control characters' }]
  try {
    checkCondition(expressionOf(path))
    return []
  } catch (error) {
    if (!(error instanceof ConditionError)) throw error
    return [{ path: pointer, message: error.reason }]
  }
}
