/** Endpoints of templates: clients list them and add one to a space. */
import { applyTemplate } from '../../domain/templates/apply-template.js'
import { paginate } from '../../kernel/paging.js'
import { pageQuery, type Template as TemplateJson, TemplateList, UseTemplate } from '../../model/index.js'
import { Type } from '@sinclair/typebox'
import { reply } from '../reply.js'
import { endpoint } from '../service.js'
import type { Template } from '../../content/templates/template.js'
import { defined } from '../../kernel/defined.js'

/** Returns a template without its content. */
const presentTemplate = ({ id, title, description, emoji, structure, refs }: Template): TemplateJson => ({
  object: 'template',
  id,
  title,
  description,
  ...defined({ emoji }),
  pages: structure.byGitPath.size,
  contentRefs: refs.map(({ name, description: what, file }) => ({ name, description: what, default: file })),
})

const section = 'Templates'

export const listTemplates = endpoint({
  method: 'GET',
  path: '/v1/orgs/{organizationId}/templates',
  summary: 'List the templates of the service',
  description:
    'Lists the templates for new spaces (`template`) and for adding to existing spaces. All organizations have the same templates. Ordered by ID.',
  section,
  needs: 'organization:view',
  query: Type.Object(pageQuery),
  returns: TemplateList,
  handle: async ({ app, query }) => {
    const page = paginate([...(await app.templates()).values()], query, ({ id }) => [id, ''])
    return { ...page, items: page.items.map(presentTemplate) }
  },
})

export const applyTemplateToSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/content/template',
  summary: 'Add a template to a space',
  description:
    'Adds one commit to the main content. A space without content (no page, or one that has only a heading) is filled. In a space with content, nothing is ' +
    'overwritten: the pages of the template are added last, in their own groups, the first of which has the title of the template; files whose names are ' +
    'already in use get a number. `params.contentRefs` replaces files of the template with files of the space; unknown names are rejected (400).',
  section,
  needs: 'space:edit',
  body: UseTemplate,
  status: 201,
  fails: [409, 413, 423],
  handle: async ({ app, actor, space, body }) => {
    await applyTemplate(app, actor, space, body)
    return reply<never>({ status: 201, location: `/v1/spaces/${space.doc.id}/content` })
  },
})
