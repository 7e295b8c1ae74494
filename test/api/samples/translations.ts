import type { Samples, SpecialSamples } from './samples.js'

/**
 * A translation, and one to delete. The engine of the probe's service does not respond: the run checks whether it
 * supports the languages.
 */
export const translationSamples: Samples = async (here, before) => {
  const { admin, organization } = here
  const base = `/v1/orgs/${organization}/translations`
  const body = { language: 'es', source: { space: before.spaceId, language: 'en' } }
  const [kept, gone] = [
    await admin.call('post', base, body).expect(201),
    await admin.call('post', base, { ...body, language: 'de' }).expect(201),
  ]
  const parameters = { translationId: kept.body.id as string }
  const special: SpecialSamples = {
    runTranslationById: { success: true },
    deleteTranslationById: { parameters: { ...before, translationId: gone.body.id as string }, success: true },
  }
  return { parameters, special }
}
