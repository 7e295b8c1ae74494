/** The adaptive schema of a site: the claims about visitors that conditions can use. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, oneOf, Timestamp } from './common.js'

const texts = {
  title: Type.Optional(Type.String({ maxLength: 128 })),
  description: Type.Optional(Type.String({ maxLength: 256 })),
}

/** Maximum number of claims at each of the two levels of a schema. */
const MAX_CLAIMS = 100

const Claim = Type.Object({ type: Type.Literal('boolean'), ...texts }, { ...closed, $id: 'SiteAdaptiveClaim' })
type Claim = Static<typeof Claim>
const Claims = Type.Unsafe<Record<string, Claim>>({
  type: 'object',
  additionalProperties: Claim,
  maxProperties: MAX_CLAIMS,
})
const UnsignedClaims = Type.Object(
  { type: Type.Literal('object'), ...texts, properties: Claims, additionalProperties: Type.Literal(false) },
  closed,
)

/** Claims by name; `unsigned` contains those that a visitor's browser may set. */
interface AdaptiveClaims {
  unsigned?: Static<typeof UnsignedClaims>
  [name: string]: Claim | Static<typeof UnsignedClaims> | undefined
}

/**
 * The subset of JSON Schema draft-07 for claims of visitors: an object of booleans that contains an object `unsigned`
 * of booleans.
 */
export const AdaptiveJsonSchema = Type.Object(
  {
    $schema: Type.Optional(
      oneOf(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema']),
    ),
    type: Type.Literal('object'),
    ...texts,
    properties: Type.Unsafe<AdaptiveClaims>({
      type: 'object',
      properties: { unsigned: UnsignedClaims },
      additionalProperties: Claim,
      maxProperties: MAX_CLAIMS + 1,
    }),
    additionalProperties: Type.Literal(false),
  },
  {
    ...closed,
    $id: 'SiteAdaptiveJSONSchema',
    description:
      'A JSON Schema (draft-07) of boolean claims, with an object `unsigned` for those that browsers may set. Other claims are rejected.',
  },
)
export type AdaptiveJsonSchema = Static<typeof AdaptiveJsonSchema>

/** The claims about visitors that a site declares, as stored. Its ID is that of the site. */
export interface SiteAdaptiveSchemaDoc {
  id: string
  jsonSchema: AdaptiveJsonSchema
  updatedAt: string
}

export const siteAdaptiveSchemas = table<SiteAdaptiveSchemaDoc>()({
  name: 'site-adaptive-schemas',
  indexes: {},
  owner: (schema) => schema.id,
})

export const SiteAdaptiveSchema = Type.Object(
  { object: Type.Literal('site-adaptive-schema'), jsonSchema: AdaptiveJsonSchema, updatedAt: Timestamp },
  { $id: 'SiteAdaptiveSchema' },
)

export const UpdateSiteAdaptiveSchema = Type.Object(
  { jsonSchema: AdaptiveJsonSchema },
  { ...closed, $id: 'UpdateSiteAdaptiveSchema' },
)

const claimValues = (description: string) =>
  Type.Optional(Type.Record(Type.String({ maxLength: 100 }), Type.Boolean(), { maxProperties: 100, description }))

export const PreviewAsVisitor = Type.Object(
  {
    signed: claimValues('Claims that a visitor token would state, by name.'),
    unsigned: claimValues('Claims that the browser of a visitor would state, by name.'),
  },
  { ...closed, $id: 'PreviewAsVisitor' },
)

export const SitePreview = Type.Object(
  {
    object: Type.Literal('site-preview'),
    url: Type.String({ description: 'Works without a token. Do not publish it.' }),
    expiresAt: Timestamp,
  },
  { $id: 'SitePreview' },
)

export const TemplateConditions = Type.Object(
  { items: Type.Array(Type.Object({ description: Type.String(), condition: Type.String() })) },
  { $id: 'TemplateConditions' },
)
