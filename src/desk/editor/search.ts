/** The search panel. It is loaded when it is opened first. */
export { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search'
