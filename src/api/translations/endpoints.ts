/** Endpoints of translations: clients create, change, run and delete them. */
import { Type } from '@sinclair/typebox'
import {
  createTranslation,
  deleteTranslation,
  listTranslations,
  requestRun,
  updateTranslation,
} from '../../domain/translations/translations.js'
import { CreateTranslation, pageQuery, Translation, TranslationList, UpdateTranslation } from '../../model/index.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentTranslation, translationPath } from './present.js'

const section = 'Translations'

const RUNS =
  'Runs happen in the background: `status` changes from `pending` to `running` to `completed`, or to `failed` with `error`. Only blocks that are new or ' +
  'changed in the source are sent to the engine. Corrections in the translated space stay until their source changes.'

export const listTranslationsInOrganization = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/translations',
  summary: 'List the translations of an organization',
  description: 'Lists the translations whose translated space you can see, oldest first.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: TranslationList,
  handle: async ({ app, actor, organization, query }) => {
    const page = await listTranslations(app, actor, organization, query)
    return { ...page, items: page.items.map((one) => presentTranslation(app, one)) }
  },
})

export const createTranslationInOrganization = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/translations',
  summary: 'Translate a space',
  description:
    `Creates a private space next to the source, which requires the role create there, and starts the first run. ${RUNS} Returns 400, with the reason at ` +
    '`/language`, if no engine of the server translates between these languages. An organization can have at most 100 translations.',
  section,
  needs: 'organization:createContent',
  body: CreateTranslation,
  status: 201,
  returns: Translation,
  fails: [409],
  handle: async ({ app, actor, organization, body }) => {
    const made = await createTranslation(app, actor, organization, body)
    return created(presentTranslation(app, made), translationPath(made.doc))
  },
})

export const getTranslationById = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/translations/{translationId}',
  summary: 'Get a translation',
  section,
  needs: 'translation:view',
  returns: Translation,
  handle: ({ app, translation }) => presentTranslation(app, translation),
})

export const updateTranslationById = endpoint({
  method: 'PUT',
  path: '/v1/orgs/{organizationId}/translations/{translationId}',
  summary: 'Change the engine settings and the schedule of a translation',
  description: 'The change takes effect with the next run. Existing translations of blocks stay as they are.',
  section,
  needs: 'translation:edit',
  body: UpdateTranslation,
  returns: Translation,
  handle: async ({ app, actor, translation, body }) =>
    presentTranslation(app, await updateTranslation(app, actor, translation, body)),
})

export const runTranslationById = endpoint({
  method: 'POST',
  path: '/v1/orgs/{organizationId}/translations/{translationId}/run',
  summary: 'Update a translation from its source',
  description:
    `${RUNS} You are the author of the commit. If merges into the translated space must meet rules, the commit goes to a change request. If a run is ` +
    'already queued, no other is queued.',
  section,
  needs: 'translation:edit',
  fails: [409],
  handle: ({ app, actor, translation }) => requestRun(app, actor, translation),
})

export const deleteTranslationById = endpoint({
  method: 'DELETE',
  path: '/v1/orgs/{organizationId}/translations/{translationId}',
  summary: 'Delete a translation',
  description: 'The translated space remains as an ordinary space.',
  section,
  needs: 'translation:edit',
  deletes: 'leaf',
  handle: ({ app, actor, translation }) => deleteTranslation(app, actor, translation),
})
