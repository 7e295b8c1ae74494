/** The adaptive schema of a site: which claims about its visitors may decide what they are shown. */
import { type Static, Type } from '@sinclair/typebox'
import { table } from '../kernel/documents.js'
import { closed, oneOf, Timestamp } from './common.js'

const texts = {
  title: Type.Optional(Type.String({ maxLength: 128 })),
  description: Type.Optional(Type.String({ maxLength: 256 })),
}

/** Most claims that a schema may declare at each of its two levels. */
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

/** Claims by name, and under `unsigned` those that a visitor's browser may state itself. */
interface AdaptiveClaims {
  unsigned?: Static<typeof UnsignedClaims>
  [name: string]: Claim | Static<typeof UnsignedClaims> | undefined
}

/** The part of JSON Schema draft-07 that can declare claims of visitors: an object of booleans, with an object `unsigned` of booleans in it. */
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
      'A JSON Schema (draft-07) of boolean claims, with an object `unsigned` for those that browsers may set; other claims are not allowed.',
  },
)
export type AdaptiveJsonSchema = Static<typeof AdaptiveJsonSchema>

/** The claims of visitors that a site declares, as stored; its ID is that of the site. */
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

export const TemplateConditions = Type.Object(
  { items: Type.Array(Type.Object({ description: Type.String(), condition: Type.String() })) },
  { $id: 'TemplateConditions' },
)
