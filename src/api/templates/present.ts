/** Turns a template into the JSON that clients get. */
import type { Template } from '../../content/templates/template.js'
import type { Template as TemplateJson } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns a template without its content. */
export const presentTemplate = ({ id, title, description, emoji, structure, refs }: Template): TemplateJson => ({
  object: 'template',
  id,
  title,
  description,
  ...defined({ emoji }),
  pages: structure.byGitPath.size,
  contentRefs: refs.map(({ name, description: what, file }) => ({ name, description: what, default: file })),
})
