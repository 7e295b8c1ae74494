import { setTimeout as sleep } from 'node:timers/promises'
import type { Samples, SpecialSamples } from './samples.js'

/** An OpenAPI specification with a version, and one to delete. Both are public, since guests cannot read others. */
export const openApiSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}/openapi`
  const source = { text: '{"openapi":"3.0.3","info":{"title":"Probe","version":"1"},"paths":{}}' }
  for (const slug of ['probe', 'deleted'])
    await admin.call('post', base, { slug, source, visibility: 'public' }).expect(201)
  while ((await admin.call('get', `${base}/probe`).expect(200)).body.processingState !== 'complete') await sleep(50)
  const versionId = (await admin.call('get', `${base}/probe/versions/latest`).expect(200)).body.id as string
  const parameters = { specSlug: 'probe', versionId }
  const special: SpecialSamples = {
    deleteOpenAPISpecBySlug: { parameters: { ...before, ...parameters, specSlug: 'deleted' }, success: true },
    // Their URLs are signed or depend on the visibility. They are tested with the URLs that the service returns.
    downloadOpenAPISpecVersion: null,
    getPublishedOpenAPISpec: null,
  }
  return { parameters, special }
}
