/** Turns translations into the JSON that clients get. */
import { allows } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedTranslation } from '../../domain/translations/translations.js'
import type { TranslationDoc } from '../../model/index.js'

/** Path of a translation. */
export const translationPath = ({ organization, id }: Pick<TranslationDoc, 'organization' | 'id'>): string => `/v1/orgs/${organization}/translations/${id}`

/** A translation. */
export function presentTranslation(app: App, { doc, role }: LoadedTranslation) {
  const { id, status, problem, source, language, instructions, glossary, engine, automatic, result, notes, createdAt, updatedAt } = doc
  const { runs, totalWords, totalPages, totalDuration, latestRunDuration, latestPages, latestWords } = doc
  return {
    object: 'translation' as const,
    id,
    status,
    ...(problem === undefined ? {} : { error: problem }),
    source,
    language,
    ...(instructions === undefined ? {} : { instructions }),
    ...(glossary === undefined ? {} : { glossary }),
    ...(engine === undefined ? {} : { engine }),
    ...(automatic === undefined ? {} : { automatic }),
    result,
    diagnostics: notes,
    createdAt,
    updatedAt,
    stats: { runs, totalWords, totalPages, totalDuration, latestRunDuration, latestPages, latestWords },
    permissions: { view: true, edit: allows('translation:edit', role) },
    urls: { location: app.settings.publicUrl + translationPath(doc) },
  }
}
