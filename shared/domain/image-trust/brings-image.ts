import { rejectAnnotation } from './label-keys.ts';

const imagesOf = (pod: string, list: string, image: string, has: string) =>
  `(has(${pod}.spec.${list}) ? ${pod}.spec.${list}.map(c, [c.name, ${has} ? ${image} : '']) : [])`;

const lists = [
  ['containers', 'c.image', 'has(c.image)'],
  ['initContainers', 'c.image', 'has(c.image)'],
  ['ephemeralContainers', 'c.image', 'has(c.image)'],
  ['volumes', 'c.image.reference', '(has(c.image) && has(c.image.reference))'],
] as const;

const differs = lists.map(([list, image, has]) => {
  const [now, before] = ['object', 'oldObject'].map((pod) => imagesOf(pod, list, image, has));
  return `${now} != ${before}`;
});

const isRejected = `(has(object.metadata.annotations) && '${rejectAnnotation}' in object.metadata.annotations)`;

/**
 * Beside new pods, only updates that bring an image, of pods that are not being deleted: the API server decides it, so that
 * finalizers go and jobs are counted even while we are down.
 */
export const bringsImage = [
  {
    name: 'is-not-being-deleted',
    expression: "request.operation != 'UPDATE' || !has(oldObject.metadata.deletionTimestamp)",
  },
  {
    name: 'brings-an-image',
    expression: [`request.operation != 'UPDATE'`, isRejected, ...differs].join(' || '),
  },
] as const;
