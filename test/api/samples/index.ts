import { type Example, examples } from '../../../src/api/examples.js'
import type { TestService } from '../../support/service.js'
import { commentSamples } from './comments.js'
import { collectionSamples } from './collections.js'
import { connectionSamples } from './connections.js'
import { contentSamples } from './content.js'
import { eventSamples } from './events.js'
import { openApiSamples } from './openapi-specs.js'
import { peopleSamples } from './people.js'
import { reviewSamples } from './reviews.js'
import type { Samples, SampleSet } from './samples.js'
import { ssoSamples } from './sso.js'
import { translationSamples } from './translations.js'
import { siteDocumentSamples } from './site-documents.js'
import { siteSamples } from './sites.js'

/** In this order: an area may use the resources of earlier areas. */
const areas: readonly Samples[] = [
  contentSamples,
  peopleSamples,
  collectionSamples,
  commentSamples,
  siteSamples,
  siteDocumentSamples,
  eventSamples,
  reviewSamples,
  openApiSamples,
  ssoSamples,
  translationSamples,
  connectionSamples,
]

/** Settings that the service of a probe needs: a translation engine, which need not respond. */
export const sampleEnv = { BINDERY_LIBRETRANSLATE_URL: 'http://127.0.0.1:1' }

/** Creates resources for every path of the service. Endpoints that use them up get new ones. */
export async function samples(here: TestService): Promise<SampleSet> {
  const all: SampleSet = { parameters: {}, special: {} }
  for (const area of areas) {
    const made = await area(here, all.parameters)
    Object.assign(all.parameters, made.parameters)
    Object.assign(all.special, made.special)
  }
  for (const [operation, example] of Object.entries(examples)) {
    const sample = all.special[operation] ?? {}
    all.special[operation] = {
      success: true,
      ...sample,
      ...(filled(example, { ...all.parameters, ...sample.parameters }) as Example),
    }
  }
  return all
}

/** Returns the example with the IDs of the service's resources. */
const filled = (example: Example, parameters: Readonly<Record<string, string>>): unknown =>
  JSON.parse(
    JSON.stringify(example).replaceAll(/"\{(\w+)\}"/g, (written, name: string) => {
      if (parameters[name] === undefined) throw new Error(`no sample for ${written} of an example`)
      return JSON.stringify(parameters[name])
    }),
  )
