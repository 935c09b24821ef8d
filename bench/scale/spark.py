"""riffle order under Spark: RDD.pipe runs the filter in each partition.

    pip install pyspark==4.3.0
    python bench/scale/spark.py RUN sets.jsonl answers --riffle bin/riffle --master 'local[2]'

Writes answers/part-00000 and so on, in the order of the sets. Sets need an id of their own: without
one a set is called by its number in its partition.
"""
import argparse
import shlex

from pyspark import SparkConf, SparkContext

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("run", help="the run's directory, on every worker")
parser.add_argument("sets", help="JSONL, anything that Spark reads: a file, hdfs://, s3a://")
parser.add_argument("out", help="folder of the answers, made by this")
parser.add_argument("--riffle", default="riffle", help="the command, on every worker")
parser.add_argument("--engine", default="go")
parser.add_argument("--master", default="local[2]")
parser.add_argument("--parts", type=int, default=8, help="partitions at least")
args = parser.parse_args()

command = shlex.join([args.riffle, "order", args.run, "-", "--json", "--quiet", "--engine", args.engine])
spark = SparkContext(conf=SparkConf().setMaster(args.master).setAppName("riffle order"))
try:
    # checkCode: a filter that fails fails the task, which Spark then tries again elsewhere.
    spark.textFile(args.sets, args.parts).pipe(command, checkCode=True).saveAsTextFile(args.out)
finally:
    spark.stop()
