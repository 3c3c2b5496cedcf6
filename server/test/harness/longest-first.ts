/**
 * The order of test files: first the folders whose files take minutes (browsers, upgrades, replicas, command lines), then the rest
 * as Vitest sorts them. A file of four minutes that begins last leaves all cores but one idle until it ends.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const TAKES_MINUTES = /\/server\/test\/(web|upgrade|money|cli|start|bench)\//;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const long = sorted.filter(({ moduleId }) => TAKES_MINUTES.test(moduleId));
    return [...long, ...sorted.filter((file) => !long.includes(file))];
  }
}
